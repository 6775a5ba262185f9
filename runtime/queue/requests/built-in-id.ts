/** Ids of models that are part of svc. */

/** Returns whether a model is part of svc; the owner `svc` is reserved for these. */
export const isBuiltIn = (model: string): boolean => model.startsWith('svc/');
