"""What a text says of shapes in its own words: comments, annotations, docstrings, asserts.

    shapes      the words for one shape, as people write them: `(B, S, D)`, `[N, 3, H/2, W/2]`, `B x T x C`
    places      what each of them is said about: a binding, a parameter, a result, an expression
    documented  the same for docstrings

Half-typed and odd ones say nothing. Standard library only: the tracer begins with what is said, the rules check it.
"""
