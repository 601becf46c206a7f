"""An emulator of GPU micro-operations and tensor cores."""
