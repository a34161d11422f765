// The texts are for a shell: what looks like a template in them is its own.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: see above
import fc from "fast-check"

const commands =
  "ls cat head tail wc nl tac cut paste fold fmt column comm join cmp diff md5sum sort uniq tr grep rg file stat readlink realpath strings od hexdump xxd tree du df jq base64 zcat cd sed find date hostname arch jobs set shopt export declare unset test [ wait printf read let echo command make node python3 bash sh xargs env".split(
    " ",
  )
const gits =
  "status log diff show rev-parse ls-files ls-tree cat-file blame shortlog rev-list grep for-each-ref reflog stash tag branch config describe".split(
    " ",
  )
const longs =
  "--output --out --output=M --to-file --from-file={out}/f --to-f={out}/f --files0-from={out}/f --files={out}/f --rege=x --regexp=x --file={out}/f --replace --max-lines --arg-file={home}/.ssh/id --open-files-in-pager='touch M;' --op='touch M;' --no-index --ignore-revs-file={out}/f --contents --ext-diff --textconv --revert --reference=src/a.ts --compress-program=./bin/ls --pre=./bin/ls --recursive --version --help --follow --patch --batch --stat --".split(
    " ",
  )
const letters = "abcdefghijklmnopqrstuvwxyzACDEFILNOPRSTWX01".split("")
const words =
  "src/a.ts M {home}/.ssh/id ~/.ssh/id {out}/f - . * src * x 1 1,5 HEAD HEAD~1 @{out}/f touch echo version $X \"$X\" 'touch M' 'a[$(touch M)]' '-v' 'e touch M' 's/x/y/w M' '.' 'import \"f\" as $x {search:\"{out}\"}; $x' out/f link PATH=./bin:/bin M=1 {} noglob %1 +x y=$X \"y=$X\" OPTIND y -a -i".split(
    / (?=(?:[^']*'[^']*')*[^']*$)/,
  )

const word = fc.constantFrom(...words)
const cluster = fc
  .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 3 })
  .map((some) => `-${some.join("")}`)
const attached = fc.tuple(fc.constantFrom(...letters), word).map(([letter, text]) => `-${letter}${text}`)
const option = fc.oneof(
  { weight: 5, arbitrary: cluster },
  { weight: 1, arbitrary: attached },
  { weight: 2, arbitrary: fc.constantFrom(...longs) },
)
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...commands) },
  { weight: 1, arbitrary: fc.constantFrom(...gits).map((git) => `git ${git}`) },
  { weight: 1, arbitrary: fc.constantFrom(...gits).map((git) => `git -C x ${git}`) },
)
const simple = fc
  .tuple(
    name,
    fc.array(fc.oneof({ weight: 2, arbitrary: option }, { weight: 3, arbitrary: word }), { maxLength: 4 }),
  )
  .map(([first, rest]) => [first, ...rest].join(" "))

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const around: readonly ((inner: string) => string)[] = [
  (c) => c,
  (c) => c,
  (c) => c,
  (c) => `echo src/a.ts | ${c}`,
  (c) => `echo 'touch M' | ${c}`,
  (c) => `echo {home}/.ssh/id | xargs ${c}`,
  (c) => `echo M | xargs -I{} ${c}`,
  (c) => `X='-v a[$(touch\${IFS}M)]'; ${c}`,
  (c) => `X=src/a.ts; ${c}`,
  (c) => `set -k\n${c} PATH=./bin:/bin`,
  (c) => `${c} <<'E'\ntouch M\nE`,
  (c) => `${c} 3<<'E'\ntouch M\nE`,
  (c) => `{ read x; ${c}; } <<'E'\nls\ntouch M\nE`,
  (c) => `bash <<E\n${c} \\\`touch M\\\`\nE`,
  (c) => `bash -c ${quoted(c)}`,
  (c) => `bash -oc noglob ${quoted(c)}`,
  (c) => `cd x && ${c}`,
  (c) => `cd src; ${c}`,
  (c) => `export PATH=./bin:$PATH; ${c}`,
  (c) => `unset PATH; ${c}`,
  (c) => `env GIT_DIR=x ${c}`,
  (c) => `${c} | ${c}`,
  (c) => `declare -i y; y='a[$(touch M)]'; ${c}`,
  (c) => `X='([$(touch\${IFS}M)]=1)'; ${c}`,
  (c) => `X='a[$(touch\${IFS}M)]=1'; ${c}`,
  (c) => `RANDOM=$X; ${c}`,
  (c) => `for f in src/*; do ${c}; done`,
]

/** Commands from pieces that have once been ways around the judgement. */
export const generated = fc
  .tuple(simple, fc.array(fc.constantFrom(...around), { minLength: 1, maxLength: 2 }))
  .map(([text, wraps]) => wraps.reduce((inner, wrap) => wrap(inner), text))
