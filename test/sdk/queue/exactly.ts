type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** Compiles only for a value of exactly this type. */
export const exactly =
  <Wanted>() =>
  <Given>(value: Given & (Same<Wanted, Given> extends true ? unknown : never)): Given =>
    value;
