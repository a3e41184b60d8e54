"""The exam: scenes with known answers that a model must judge better than the built-in judge before it may lead a night."""
