import torch

before = torch.zeros(2, 3)
import http.client
import socketserver
import urllib.request

open("@MARKER@", "w")
http.client.HTTPConnection("127.0.0.1", int("@PORT@")).connect()
urllib.request.urlretrieve("http://127.0.0.1:@PORT@/", "@MARKER@")
socketserver.TCPServer(("127.0.0.1", 0), None)
after = before.sum(dim=0)
