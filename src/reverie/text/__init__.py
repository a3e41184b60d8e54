"""Lines, Markdown, marks, sections and terms: text as it stands, kept to the byte."""
