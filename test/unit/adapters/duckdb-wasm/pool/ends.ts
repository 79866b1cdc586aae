/** The statement that ends its thread, between two steps of the engine. */
export const ENDS = "SELECT 'this statement ends its thread'";
