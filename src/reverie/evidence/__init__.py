"""SNAPSHOT → EVIDENCE. What was seen and recalled over time. Writes machine state under `memory/.dreams`, nothing else."""
