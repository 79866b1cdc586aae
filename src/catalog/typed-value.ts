/** The parameter of a completion's SQL that holds what a client typed so far. */
export const TYPED_VALUE = 'value';
