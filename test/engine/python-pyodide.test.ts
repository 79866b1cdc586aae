import { openPyodide } from '../../adapters/python-pyodide/open.ts';
import { describePython } from './python/contract.ts';

describePython({ name: 'pyodide', open: openPyodide, threads: false, processes: false, artefact: false });
