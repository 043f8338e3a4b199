"""What the interpreted file may reach: listed callables, and behind them an audit hook.

`allowed` lists callables by identity and attributes by their owner; `audit` refuses files,
processes and sockets for the whole process while a trace runs, should the first wall have a hole.
"""
