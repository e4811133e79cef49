"""`butfor cc` and `butfor c++`: the user's compiler, run unchanged, while each unit leaves its LLVM IR in a store.

A build starts this once for each file, so it imports nothing but small built-in modules: no dataclasses, no subprocess.
"""
