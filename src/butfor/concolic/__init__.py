"""Searching for inputs with which a C program fails: runs are recorded, their path conditions changed and solved, the answers run again."""
