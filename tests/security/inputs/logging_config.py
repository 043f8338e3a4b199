import torch

before = torch.zeros(2, 3)
import logging, logging.config, logging.handlers
for run in (
    lambda: logging.config.dictConfig({"version": 1, "handlers": {"h": {"class": "logging.FileHandler", "filename": "@MARKER@"}}, "root": {"handlers": ["h"]}}),
    lambda: logging.config.dictConfig({"version": 1, "formatters": {"f": {"()": "os.system", "command": "touch @MARKER@"}}}),
    lambda: logging.config.fileConfig("@FOLDER@/evil.ini"),
    lambda: logging.basicConfig(filename="@MARKER@", force=True),
    lambda: logging.getLogger().addHandler(logging.FileHandler("@MARKER@")),
    lambda: logging.handlers.SocketHandler("127.0.0.1", @PORT@).makeSocket(),
    lambda: logging.handlers.RotatingFileHandler("@MARKER@"),
    lambda: logging.handlers.HTTPHandler("127.0.0.1:@PORT@", "/").emit(logging.makeLogRecord({})),
    lambda: logging.error("x"),
    lambda: logging.Logger.manager.loggerClass.__init__.__globals__["os"].system("touch @MARKER@"),
):
    try:
        run()
    except Exception:
        pass
after = before.sum(dim=0)
