/** Packages with native code that people use most, by the name they are imported by, and what stands for them. */
export const NATIVE_PACKAGES: ReadonlySet<string> = new Set(
  `Bio Crypto MySQLdb PIL aiohttp astropy asyncpg bcrypt bottleneck cartopy cffi cryptography cv2 duckdb fiona
  geopandas gmpy2 grpc h5py igraph jiter lightgbm lxml lz4 matplotlib mpl_toolkits msgspec nacl netCDF4 numba numpy
  orjson pandas polars psycopg2 psycopg_binary psycopg_c pyarrow pydantic pydantic_core pygame pymssql pyodbc pyproj
  rasterio rpds safetensors scipy sentencepiece shapely skimage sklearn soundfile statsmodels tensorflow tiktoken
  tokenizers torch ujson uvloop xarray xgboost xxhash zmq zstandard`.split(/\s+/),
);
