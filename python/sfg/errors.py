"""What can go wrong, as exceptions that scikit-learn's users know.

Every class is an `Error` and one of Python's own: a bad value is a `ValueError`, too little memory a
`MemoryError`. Messages say what is wrong, where, and what to do.
"""


class Error(Exception):
    """Base of everything that sfg raises itself."""


class InvalidOptionError(Error, ValueError):
    """A value or combination of parameters that has no meaning."""


class MalformedInputError(Error, ValueError):
    """A file or table whose contents break its format."""


class InconsistentInputError(Error, ValueError):
    """Inputs that do not fit each other: names, shapes, labels."""


class DegenerateDataError(Error, ValueError):
    """Data on which the question has no answer: everything constant."""


class FileError(Error, OSError):
    """A file that cannot be read or written, or a format that this build lacks."""


class MemoryLimitError(Error, MemoryError):
    """More memory needed than `memory_limit` allows, or than is free."""


class MissingPackageError(Error, ImportError):
    """An optional package that is not installed."""


class NotBuiltError(Error, NotImplementedError):
    """A part that this build of sfg lacks."""


class InternalError(Error, RuntimeError):
    """A defect of sfg; please report it."""
