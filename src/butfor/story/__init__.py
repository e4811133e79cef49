"""The failing run told step by step: values, reasons, memory, relevant input; for reports that can be browsed."""
