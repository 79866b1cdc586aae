/** Modules of Python's standard library that Pyodide has. A test compares the list with Pyodide. */
export const STANDARD_MODULES: ReadonlySet<string> = new Set(
  `__future__ abc annotationlib antigravity argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2
  cProfile calendar cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser
  contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email encodings enum
  errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext
  glob graphlib gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword
  linecache locale logging lzma mailbox marshal math mimetypes mmap modulefinder multiprocessing netrc ntpath
  nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib posix
  posixpath pprint profile pstats pty py_compile pyclbr pydoc pyexpat queue quopri random re reprlib rlcompleter runpy
  sched secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 sre_compile
  sre_constants sre_parse ssl stat statistics string stringprep struct subprocess symtable sys sysconfig tabnanny
  tarfile tempfile termios textwrap this threading time timeit token tokenize tomllib trace traceback tracemalloc tty
  types typing unicodedata unittest urllib uuid warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile
  zipimport zlib zoneinfo`.split(/\s+/),
);

/** Modules of the standard library that Pyodide does not have. */
export const MISSING_MODULES: ReadonlySet<string> = new Set(
  `curses dbm ensurepip grp idlelib msvcrt nt pwd pydoc_data readline resource syslog tkinter turtle turtledemo venv
  winreg winsound`.split(/\s+/),
);

/** Popular packages with native code, by the name they are imported by. */
export const NATIVE_PACKAGES: ReadonlySet<string> = new Set(
  `Bio Crypto MySQLdb PIL aiohttp astropy asyncpg bcrypt bottleneck cartopy cffi cryptography cv2 duckdb fiona
  geopandas gmpy2 grpc h5py igraph jiter lightgbm lxml lz4 matplotlib mpl_toolkits msgspec nacl netCDF4 numba numpy
  orjson pandas polars psycopg2 psycopg_binary psycopg_c pyarrow pydantic pydantic_core pygame pymssql pyodbc pyproj
  rasterio rpds safetensors scipy sentencepiece shapely skimage sklearn soundfile statsmodels tensorflow tiktoken
  tokenizers torch ujson uvloop xarray xgboost xxhash zmq zstandard`.split(/\s+/),
);
