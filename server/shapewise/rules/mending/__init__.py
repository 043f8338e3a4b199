"""What may have been meant where torch refuses a call: changes of one place in the text.

`changes` has those of a call as it is written, `neighbours` what its neighbours have and it lacks, `dtypes` those of
dtypes. `upstream` asks them of the refused call and of what made its operands, and `trial` leaves out what surely
does not help. Whether one holds is found out by tracing the changed text (`fixes.verify`), in the order given here.
"""
