/** What the picture of a terminal shows as typed at the prompt, so that its test can tell when it has fallen behind. */
export const PICTURE_LINES = [
  'gwtoken login --region eu',
  'gwtoken get',
  'gwtoken curl https://gateway.example.com/hello',
  'eval $(gwtoken env)',
  'gwtoken whoami',
  'gwtoken status',
] as const;
