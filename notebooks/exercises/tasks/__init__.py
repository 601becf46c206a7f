"""The exercises, one module a notebook; every module here is read."""
