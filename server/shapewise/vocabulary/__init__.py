"""The words both processes share: plain frozen data, standard library only.

`events` is what the tracer writes down, `facts` and `findings` are what the faces show,
`wire` carries any of them between the two processes.
"""
