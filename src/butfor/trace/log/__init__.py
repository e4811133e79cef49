"""The columns that the runtime wrote, mapped into memory."""
