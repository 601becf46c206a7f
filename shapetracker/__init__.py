"""Strided views of one buffer, and the index expressions that they mean."""
