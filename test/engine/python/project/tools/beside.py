import calls


def beside():
    return [calls.hello(), __file__.endswith("beside.py")]
