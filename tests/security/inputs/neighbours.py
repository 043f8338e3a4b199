import torch

before = torch.zeros(2, 3)
open("@MARKER@", "w")
try:
    import einops

    einops.os.system("touch @MARKER@")
    einops._backends.sys.modules["os"].system("touch @MARKER@")
except Exception:
    pass
try:
    import torchvision

    torchvision.os.system("touch @MARKER@")
    torchvision.utils.save_image(before, "@MARKER@.png")
    torchvision.io.write_file("@MARKER@", before.byte())
    torchvision.datasets.MNIST("@FOLDER@", download=True)
    torchvision.datasets.folder.default_loader.__globals__["os"].system("touch @MARKER@")
    torchvision.datasets.utils.download_url("http://127.0.0.1:@PORT@/x", "@FOLDER@")
    torchvision.models.resnet18(weights="DEFAULT")
    torchvision.transforms.Lambda(lambda x: open("@MARKER@", "w"))(before)
except Exception:
    pass
try:
    from PIL import Image

    Image.open("@FOLDER@/evil.py").save("@MARKER@")
    Image.new("RGB", (2, 2)).save("@MARKER@", "png")
    Image._plugins, Image.sys.modules["os"].system("touch @MARKER@")
except Exception:
    pass
try:
    import timm

    timm.create_model("resnet18", pretrained=True, checkpoint_path="@MARKER@")
    timm.create_model("local-dir:@FOLDER@")
except Exception:
    pass
try:
    from transformers import AutoConfig, AutoModel, AutoTokenizer, BertConfig, BertModel

    for name in ("@FOLDER@", "@FOLDER@/..", "../../etc/passwd", "a/../../@FOLDER@", "gpt2"):
        AutoTokenizer.from_pretrained(name, trust_remote_code=True).save_pretrained("@MARKER@")
        AutoConfig.from_pretrained(name, __class__=BertModel, _attn_implementation="evil/kernel").save_pretrained("@MARKER@")
        AutoModel.from_pretrained(name, trust_remote_code=True, state_dict="@MARKER@").push_to_hub("evil")
    BertConfig.from_pretrained("@FOLDER@", trust_remote_code=True)
    config = BertConfig(auto_map={"AutoModel": "@FOLDER@--evil.Model"}, num_hidden_layers=1)
    AutoModel.from_config(config, trust_remote_code=True)
    config.save_pretrained("@FOLDER@/marker")
    BertModel(config).save_pretrained("@FOLDER@/marker")
    BertModel.from_pretrained("@FOLDER@")

    class Annotated(BertModel):
        config: "open('@MARKER@', 'w')"

    class Entries:
        def __mro_entries__(self, bases):
            return (BertConfig,)

    class Fields(Entries()):
        __annotations__ = {"x=open('@MARKER@', 'w')": int}

except Exception:
    pass
after = before.sum(dim=0)
