"""`shapewise validate` on this side: what is sent, the talk with the far end, and what its answers mean.

bundle    which files go along
trials    inputs for functions that nothing calls
link      the process behind the prefix: started, spoken to, ended; every fault one sentence
symbols   which number a dim's name stands for in a call
facts     each fact held against what was seen
verdicts  the same for findings, and all of it put together
examples  a refuted fact as a minimal example
notes     what calls cost there
"""
