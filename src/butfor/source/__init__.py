"""Source text and syntax of C files: what stands at a position of the debug info, as the programmer wrote it."""

from butfor.source.model import Expression, FunctionSpan, Role, Statement
from butfor.source.syntax import SyntaxTree
from butfor.source.text import Position, SourceFile

__all__ = ["Expression", "FunctionSpan", "Position", "Role", "SourceFile", "Statement", "SyntaxTree"]
