//! Disturbances of shared memory, of textures and surfaces, and of other loads and stores.

use crate::common::{Kernel, Random, bytes_of, module, ptx, values_of};
use ptxsim::{
    ArrayDesc, ChannelKind, Disturbance, Launch, Memory, Options, Resource, TexelFormat,
    TextureDesc, run,
};

const THREADS: usize = 64;

/// What each thread stores in `out`: it has 1000 + its number in %r1, the address of its slot of
/// 16 bytes of shared memory in %r3, and that of its neighbour's slot in %r4.
fn results(body: &str, disturbance: Option<Disturbance>) -> Vec<u32> {
    let options = Options { disturbance, ..Options::default() };
    kernel(body, 1000).run(&options).get("out")
}

/// The kernel, with this number in place of 1000.
fn kernel(body: &str, base: u32) -> Kernel {
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b16 %h<4>;\n.reg .b32 %r<16>;\n.reg .b64 %x<4>;\n.shared .align 16 .b8 s[1024];\n\
         mov.u32 %r0, %tid.x;\nadd.u32 %r1, %r0, {base};\nmov.u32 %r2, s;\n\
         mad.lo.u32 %r3, %r0, 16, %r2;\nxor.b32 %r5, %r0, 1;\nmad.lo.u32 %r4, %r5, 16, %r2;\n\
         {body}\n\
         ld.param.u64 %x0, [out];\nmul.wide.u32 %x1, %r0, 4;\nadd.s64 %x0, %x0, %x1;\n\
         st.global.u32 [%x0], %r9;\nret;\n}}\n"
    );
    let kernel = Kernel::new(&module(&text), "k").block(THREADS as u32, 1, 1);
    kernel.buffer("out", &[0_u32; THREADS])
}

/// How many results change if shared memory gets what it has with another number.
fn changed(body: &str) -> usize {
    let exchange = Options { disturbance: Some(Disturbance::Exchange), ..Options::default() };
    let other = kernel(body, 5000).run(&exchange);
    let ran = kernel(body, 1000).snapshots(other.seen.snapshots).run(&exchange);
    assert!(ran.seen.completed, "{body}");
    let disturbed: Vec<u32> = ran.get("out");
    results(body, None).iter().zip(disturbed).filter(|(a, b)| **a != *b).count()
}

/// Stores, a barrier, and a load of the thread's own slot or of its neighbour's.
#[test]
fn only_what_another_thread_has_stored_changes() {
    let halves = "mov.b32 {%h0, %h1}, %r1;\nst.shared.u16 [%r3], %h0;\nst.shared.u16 [%r3+2], %h1;";
    let four = "st.shared.v4.u32 [%r3], {%r1, %r0, %r0, %r0};";
    let loads = ["ld.shared.u32 %r9, [AT];", "ld.shared.v4.u32 {%r9, %r10, %r11, %r12}, [AT];"];
    for store in ["st.shared.u32 [%r3], %r1;", halves, four] {
        for load in loads {
            let store = format!("st.shared.v4.u32 [%r3], {{%r0, %r0, %r0, %r0}};\n{store}");
            for (at, wanted) in [("%r3", 0), ("%r4", THREADS)] {
                let body = format!("{store}\nbar.sync 0;\n{}", load.replace("AT", at));
                assert_eq!(changed(&body), wanted, "{body}");
            }
        }
    }
}

/// What is in shared memory whatever the inputs are tells a kernel nothing: an index, for example,
/// with which it finds its data elsewhere.
#[test]
fn what_is_the_same_with_other_inputs_stays() {
    let index = "st.shared.u32 [%r3], %r0;\nbar.sync 0;\nld.shared.u32 %r10, [%r4];\n\
                 add.u32 %r9, %r10, %r1;\nsub.u32 %r9, %r9, %r0;";
    assert_eq!(changed(index), 0);
    let both = "st.shared.v2.u32 [%r3], {%r0, %r1};\nbar.sync 0;\n\
                ld.shared.v2.u32 {%r9, %r10}, [%r4];\n";
    assert_eq!(changed(both), 0, "the other value isn't needed");
    assert_eq!(changed(&both.replace("{%r9, %r10}", "{%r10, %r9}")), THREADS);
}

/// All lanes of a warp load the slot of its first lane, which alone reads what it has stored.
#[test]
fn lanes_that_load_one_word_get_different_values() {
    let body = "and.b32 %r6, %r0, 32;\nmad.lo.u32 %r6, %r6, 16, %r2;\n\
                st.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r9, [%r6];";
    assert_eq!(changed(body), THREADS - 2);
}

/// A thread that stores again owns the new value, and an atomic operation makes a word that of
/// several threads.
#[test]
fn the_last_thread_that_writes_a_word_owns_it() {
    let again = "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\n\
                 ld.shared.u32 %r9, [%r3];";
    assert_eq!(changed(again), 0);
    let atomic = "st.shared.u32 [%r3], %r1;\natom.shared.add.u32 %r8, [%r3], 1;\nbar.sync 0;\n\
                  ld.shared.u32 %r9, [%r3];";
    assert_eq!(changed(atomic), THREADS);
    let unsynchronised = "st.shared.u32 [%r3], %r1;\nbar.warp.sync -1;\nld.shared.u32 %r9, [%r4];";
    assert_eq!(changed(unsynchronised), 0, "only barriers of the block change anything");
}

/// A store, a load or an atomic operation that returns what was stored, and the store of the
/// result.
#[test]
fn suppressed_accesses_give_zeros_or_store_nothing() {
    let stored: Vec<u32> = (1000..1000 + THREADS as u32).collect();
    for load in ["ld.global.u32 %r9, [%x2];", "atom.global.add.u32 %r9, [%x2], 5;"] {
        let body = format!(
            "ld.param.u64 %x2, [out];\nmul.wide.u32 %x3, %r0, 4;\nadd.s64 %x2, %x2, %x3;\n\
             st.global.u32 [%x2], %r1;\n{load}"
        );
        assert_eq!(results(&body, None), stored);
        assert_eq!(results(&body, Some(Disturbance::Loads)), [0; THREADS], "{load}");
        assert_eq!(results(&body, Some(Disturbance::Stores)), [0; THREADS], "{load}");
    }
    let own = "st.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r9, [%r3];";
    assert_eq!(results(own, Some(Disturbance::Loads)), stored, "shared memory has its data");
}

const F32: TexelFormat = TexelFormat { kind: ChannelKind::Float, bits: 32, channels: 1 };

/// A copy of an image through a texture, and an image that is doubled through a surface.
#[test]
fn suppressed_images_give_zeros() {
    let (m, image) = (module(&ptx("09_texture")), Random(8).floats(12 * 7, 0.1, 1.0));
    let copied = |disturbance| {
        let mut memory = Memory::new();
        let array =
            ArrayDesc { name: "image".to_owned(), format: F32, extent: [12, 7, 0], layers: None };
        let a = memory.create_array(&array, Some(&bytes_of(&image))).expect("array");
        let texture =
            memory.create_texture(&TextureDesc::new(Resource::Array(a))).expect("texture");
        let out = memory.alloc("out", 12 * 7 * 4, 4, None).expect("memory");
        let options = Options { disturbance, ..Options::default() };
        let args = vec![bytes_of(&[texture]), bytes_of(&[out]), bytes_of(&[12]), bytes_of(&[7])];
        let (grid, block) = ([2, 2, 1], [8, 4, 1]);
        let launch = Launch { entry: "tex2d".to_owned(), grid, block, args, ..Launch::default() };
        run(&m, &mut memory, &launch, &options).expect("tex2d");
        let surface = memory.create_surface(a).expect("surface");
        let args = vec![bytes_of(&[surface]), bytes_of(&[12])];
        let (grid, block) = ([1; 3], [12, 7, 1]);
        let launch = Launch { entry: "surf2d".to_owned(), grid, block, args, ..Launch::default() };
        run(&m, &mut memory, &launch, &options).expect("surf2d");
        let fetched = values_of::<f32>(&memory.read(out, 12 * 7 * 4).expect("out"));
        (fetched, values_of::<f32>(&memory.read_array(a).expect("array")))
    };
    let (zeros, doubled) = (vec![0.0; 12 * 7], image.iter().map(|v| v * 2.0).collect::<Vec<_>>());
    assert_eq!(copied(None), (image.clone(), doubled));
    assert_eq!(copied(Some(Disturbance::Fetches)), (zeros.clone(), zeros.clone()));
    assert_eq!(copied(Some(Disturbance::SurfaceStores)), (image, zeros));
}
