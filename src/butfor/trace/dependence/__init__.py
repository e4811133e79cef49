"""What an instance depended on: data, address, control, potential; slices along those edges."""
