"""Which statements failing and passing tests ran."""
