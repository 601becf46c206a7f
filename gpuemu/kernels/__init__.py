"""Ways to write a program."""
