/** The folder with the lists of packages. */
export const PYTHON_PINS: string;
