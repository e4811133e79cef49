"""C source text and syntax: what stands at a position of the debug info, as the programmer wrote it."""

from butfor.source.source_model import Expression, FunctionSpan, Role, Statement
from butfor.source.source_text import Position, SourceFile
from butfor.source.syntax_tree import SyntaxTree

__all__ = ["Expression", "FunctionSpan", "Position", "Role", "SourceFile", "Statement", "SyntaxTree"]
