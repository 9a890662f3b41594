//! The passes, and which others each needs: those whose findings it reads, and those to which it leaves
//! their words.

use super::read::{Reader, Reading};

/// The passes, as they run.
#[derive(Clone, Copy)]
enum Name {
    Orders,
    Parts,
    Conditions,
    States,
    Stock,
    Roles,
    Ratios,
    Superlatives,
    Groups,
    Absences,
    Select,
    Asked,
}

/// A pass over the units.
struct Pass {
    name: Name,
    /// Those that come before it.
    after: &'static [Name],
    /// What it does.
    run: fn(&mut Reader<'_>),
}

/// All of them, as they run.
const PASSES: &[Pass] = {
    use Name::{
        Absences, Asked, Conditions, Groups, Orders, Parts, Ratios, Roles, Select, States, Stock,
        Superlatives,
    };
    &[
        Pass { name: Orders, after: &[], run: |r| r.read_orders() },
        Pass { name: Parts, after: &[], run: |r| r.read_parts() },
        Pass { name: Conditions, after: &[Parts], run: |r| r.read_conditions() },
        Pass { name: States, after: &[], run: |r| r.read_states() },
        Pass { name: Stock, after: &[Conditions], run: |r| r.read_stock() },
        Pass { name: Roles, after: &[Conditions], run: |r| r.read_roles() },
        Pass { name: Ratios, after: &[Conditions], run: |r| r.read_ratios() },
        Pass { name: Superlatives, after: &[Conditions], run: |r| r.read_superlatives() },
        Pass { name: Groups, after: &[Ratios, Superlatives], run: |r| r.read_groups() },
        Pass { name: Absences, after: &[Groups], run: |r| r.read_absences() },
        Pass {
            name: Select,
            after: &[Orders, States, Stock, Roles, Absences],
            run: |r| r.read_select(),
        },
        Pass { name: Asked, after: &[Select], run: |r| r.read_asked() },
    ]
};

/// An order in which a pass precedes one that it needs does not compile.
const _: () = {
    let mut at = 0;
    while at < PASSES.len() {
        let Pass { name, after, .. } = &PASSES[at];
        assert!(*name as usize == at, "a pass stands elsewhere than in its list of names");
        let mut i = 0;
        while i < after.len() {
            assert!((after[i] as usize) < at, "a pass precedes one that it needs");
            i += 1;
        }
        at += 1;
    }
};

impl Reader<'_> {
    /// Run all passes and put the query form together.
    pub fn read(mut self) -> Reading {
        PASSES.iter().for_each(|pass| (pass.run)(&mut self));
        self.finish()
    }
}
