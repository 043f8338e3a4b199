import torch

before = torch.zeros(2, 3)
import os


class Field:
    def __set_name__(self, owner, name):
        os.system("touch @MARKER@")

    def __get__(self, instance, owner):
        return os.system("touch @MARKER@")

    def __set__(self, instance, value):
        os.system("touch @MARKER@")


class Base:
    def __init_subclass__(cls, **kwargs):
        os.system("touch @MARKER@")

    def __class_getitem__(cls, item):
        return os.system("touch @MARKER@")


class Attack(Base):
    field = Field()


Attack().field
Attack[int]
after = before.sum(dim=0)
