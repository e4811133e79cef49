"""From instances to what must hold: justification by recorded values, and terms for solvers."""
