/** What the files below src/system need to know of the computer and the user; main.ts fills it in. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The effective user id; undefined on Windows, where owners and modes are not checked. */
  readonly uid: number | undefined;
}
