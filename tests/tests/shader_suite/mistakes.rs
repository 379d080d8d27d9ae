//! Mistakes in a test file, and what the message has.

/// The text of `double.test.toml`, and parts of the message.
pub const MISTAKES: &[(&str, &[&str])] = &[
    (
        "buffr = []",
        &[
            "double.test.toml:1:1: there is no `buffr` here. Did you mean `buffer`? There are: name, title, about, shader,",
        ],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', valeus = [2, 4] }]",
        &["2:25: there is no `valeus` here. Did you mean `values`?"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\n[budget]\nmax_vgpr = 3",
        &["3:1: there is no `max_vgpr` here. Did you mean `max_vgprs`?"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\n[matrix]\nwaves = [32]\n[fault]",
        &["3:1: there is no `waves` here. Did you mean `wave`? There are: gpu, wave, seed, spec"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\ngroups = '4'",
        &["3:10: invalid type: string \"4\", expected an array of length 3"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\npush = 3",
        &["3:8: push is a list as [\"f32=2.5\", \"u32=3\"], or names with values as { a = 2.5 }"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\npush = { a = 3 }",
        &["double.wgsl: push constant a=3: the shader has no push constants"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nspec = { a = 3 }",
        &["the shader has no specialization constant a; it has none"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nentry = 'mian'",
        &["no compute entry point `mian`; the module has: main"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nshader = 'nothing.wgsl'",
        &["3:10: there is no shader nothing.wgsl"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\ngroups = [0, 1, 1]",
        &["groups = [0, 1, 1] is nothing to run: each is 1 or more"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nwave = 48",
        &["3:8: wave is 32 or 64"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\ngpu = 'rx5700'",
        &["3:7: there is no machine `rx5700`, nor a generation of this name. Did you mean rx5700xt?"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nchecks = 'rcae'",
        &["3:10: unknown flag `rcae`; use a comma list of mem, "],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\ntimeout = 5",
        &["3:11: invalid type: integer `5`, expected a string"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\ntimeout = '5'",
        &["3:11: a time is 10s or 500ms"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nseed = -1",
        &["3:8: invalid value: integer `-1`, expected u64"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nmatrix = { wave = [16] }\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["2:10: wave = 16: it is 32 or 64"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nmatrix = { seed = 'x' }\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["2:10: seed is a list of numbers, or \"0..16\""],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'z', values = [2, 4] }]",
        &["2:11: [[expect]]: there is no buffer or image `z`. Did you mean `x`? (there are: x, y)"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'yy', values = [2, 4] }]",
        &["`yy`. Did you mean `y`?"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ values = [2, 4] }]",
        &["2:11: [[expect]] has a binding (and a set), or a name"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y' }]",
        &["2:11: [[expect]] has one of values, file and cpu"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4], cpu = 'x[i]' }]",
        &["2:11: [[expect]] has one of values, file and cpu"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4, 6] }]",
        &["2:11: the list has 3 numbers, f32[2] takes 2"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 'four'] }]",
        &["2:11: the list: `four` is no f32"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4], ulp = 1, rmse = 0.5 }]",
        &["2:11: one of ulp, relative, absolute, rmse and picture is enough"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4], ulp = 0.5 }]",
        &["2:48: invalid type: floating point `0.5`, expected u64"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4], picture = { chanel = 1 } }]",
        &["2:54: there is no `chanel` here. Did you mean `channel`? There are: channel, pixels"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4], shape = '2' }]",
        &["2:50: `2` is no picture size: write WIDTHxHEIGHT"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', file = 'y.txt' }]",
        &["2:11: y.txt: an output is a .bin, .raw, .json, .csv, .npy or .png file"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = '2.0 * z[i]' }]",
        &["2:31: cpu: line 1 of it: no definition in scope for identifier: `z`"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = 'x[i + 1u]' }]",
        &["2:31: cpu: at element 1: x[2] is past its 2 elements"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = 'x[i' }]",
        &["2:31: cpu: line 1 of it: expected `]`, found \";\""],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = 'x[i] > 1.0' }]",
        &["2:31: cpu: it is no f32, which an element is: convert it"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = 3 }]",
        &["2:31: cpu is an expression, or { wgsl = … }"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = { } }]",
        &["2:31: cpu has one of wgsl, glsl and shader"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = { shadr = 'twice.wgsl' } }]",
        &[
            "2:31: cpu: there is no `shadr` here. Did you mean `shader`? There are: wgsl, glsl, shader, entry, groups, spec",
        ],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = { shader = 'none.wgsl' } }]",
        &["2:31: cannot read none.wgsl"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', cpu = { shader = 'race.wgsl' } }]",
        &["2:31: race.wgsl: it has no `y`"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nfinding = [{ check = 'races' }]",
        &["2:12: there is no check `races`. Did you mean race? There are: mem, race, init, sync, wait, num"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nfinding = [{ line = 3 }]",
        &["2:12: missing field `check`"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\n",
        &["1:1: nothing is expected: add [[expect]], [[finding]], [fault] or [budget]"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }]\nexpect = [{ name = 'x', values = [1, 2] }]",
        &[
            "the shader uses binding 1 (`y`), and nothing is given for it. It is a buffer: add [[buffer]] with name = \"y\" and type = \"[N]\"",
        ],
    ),
    (
        "buffer = [{ name = 'x', init = 'nothing.npy' }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["double.test.toml:1:11: [[buffer]] x: cannot read nothing.npy"],
    ),
    (
        "buffer = [{ name = 'x', init = 'nothing.txt' }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["double.test.toml:1:11: [[buffer]] x: cannot read nothing.txt"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2], init = 'zero' }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["[[buffer]] has init or values"],
    ),
    (
        "buffer = [{ name = 'x', type = 'u16[2]' }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &[
            "double.test.toml:1:11: [[buffer]] x: binding 0 (`x`) is f32[] in the shader; u16[2] would be taken for the bits of f32",
        ],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["double.test.toml:1:44: [[buffer]] y: binding 1 (`y`) is f32[] in the shader: how many are there?"],
    ),
    (
        "shader = 'special.wgsl'\nbuffer = [{ name = 'data', values = [1, 2] }]\nexpect = [{ name = 'data', values = [2, 4] }]",
        &["override 7 (`scale`) has no value: add scale = VALUE, of f32, to spec"],
    ),
    (
        "image = [{ name = 'x', size = '2x2' }]\nbuffer = [{ name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &[
            "double.test.toml:1:10: [[image]] x: binding 0 (`x`) is a buffer: add [[buffer]] with name = \"x\"",
            "an image is given",
        ],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\ndispatch = [{ indirect = 'args' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["indirect: there is no buffer `args`"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\ndispatch = [{ indirect = 'x' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["indirect: three u32 at byte 0 of `x`, which has 8 bytes"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\ndispatch = [{ indirect = 'x', groups = [1, 1, 1] }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["[[dispatch]] has groups or indirect"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\ndispatch = [{ offset = 4 }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["[[dispatch]] has an offset, and no indirect = BUFFER"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\ndispatch = [{ shader = 'nothing.wgsl' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["cannot read nothing.wgsl"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\ndispatch = [{ repeat = 0 }]\nexpect = [{ name = 'y', values = [2, 4] }]\n",
        &["repeat = 0: 1 to 65536 times"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n[[test]]\nentry = 'main'",
        &["3:1: a [[test]] has a name, as in name = \"small\""],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\n[[test]]\nname = 'a'\n[[test]]\nname = 'a'",
        &["1:1: two cases are called `a`"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', values = [2, 4] }]\nname = 'all'\n[[test]]\nname = 'a'",
        &["3:8: each [[test]] has its name; the file has none"],
    ),
    (
        "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [",
        &["2:11: unclosed array, expected `]`"],
    ),
];
