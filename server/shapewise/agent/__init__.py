"""The far end of `shapewise validate`: runs a file for real and tells what every binding held.

These files are sent along and run under whatever Python 3.8 or newer is there, as a package named
`shapewise_agent`. They need its standard library and torch, and nothing else of shapewise.

    framing     messages on a stream that others may print on
    supervisor  speaks with the host; starts, limits and ends the worker
    worker      imports torch, runs the file, tells what was seen
    instrument  the places of a text that are looked at
    observer    what stood there
    memory      what calls of layers take at their peak
    inputs      values of given shapes, for functions that nothing calls
"""
