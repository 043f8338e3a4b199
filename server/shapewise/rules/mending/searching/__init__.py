"""A search for what may have been meant where no rule knows: small changes of all that a refused call hangs on.

`reach` finds the expressions that the call hangs on, `scope` the values that names have there. `calls` changes how a
call is written, `values` what it is given. `search` puts them in order: what changes least, and nearest to the
refused call, comes first. Whether one holds is found out by tracing the changed text (`fixes.verify`), only once
somebody asks for repairs.
"""
