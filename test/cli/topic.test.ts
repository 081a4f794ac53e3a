/** Each element of a topic on a terminal, with its spaces, which help.test.ts ignores. */
import { expect, test } from 'vitest';
import { topicAsText } from '../../src/cli/topics';

const paint = { bold: (text: string) => `<b>${text}</b>`, cyan: (text: string) => `<c>${text}</c>` };

test('topicAsText formats headings, code, bold words, tables and blocks', () => {
  const markdown = `# The title

Words with \`code\` and **bold ones
  on two lines**, and \`code
  on two\`.

## A part
### Below it

| a      | the \`head\` |
| ------ | ---------- |
| longer | b          |

    indented \`as it\` **stands**

\`\`\`sh
# first \`as it\` **stands**

  third
\`\`\`
Python would not run where it is pasted with its indentation:
\`\`\`python
if os:
    pass
\`\`\`
The end.
`;
  expect(topicAsText(markdown, paint)).toBe(`<b>THE TITLE</b>

Words with <c>code</c> and <b>bold ones
  on two lines</b>, and <c>code
  on two</c>.

<b>A PART</b>
<b>BELOW IT</b>

| a      | the head   |
| ------ | ---------- |
| longer | b          |

    indented \`as it\` **stands**

    # first \`as it\` **stands**

      third
Python would not run where it is pasted with its indentation:
if os:
    pass
The end.
`);
});
