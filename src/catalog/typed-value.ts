/** The SQL parameter of a completion that contains the text that the user typed. */
export const TYPED_VALUE = 'value';
