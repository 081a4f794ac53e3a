/** What the picture of a terminal shows as typed at the prompt, so that its test can tell when it has fallen behind. */
export const PICTURE_LINES = [
  'gwtoken login',
  'gwtoken get',
  'gwtoken exec -- ./deploy.sh',
  'gwtoken status',
] as const;
export const PICTURE_COLUMNS = 100;
