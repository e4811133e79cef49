"""The failing run told step by step for reports: values, reasons, memory, relevant input."""
