/** The lines typed in the picture of a terminal, so that its test can tell when it has fallen behind. */
export const PICTURE_LINES = [
  'gwtoken login --region eu',
  'gwtoken get',
  'gwtoken curl https://gateway.example.com/hello',
  'eval $(gwtoken env)',
  'gwtoken whoami',
  'gwtoken status',
] as const;
