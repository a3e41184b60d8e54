"""Providers of language models behind the port."""
