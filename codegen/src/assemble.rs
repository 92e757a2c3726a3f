//! From instructions to bytes: places of labels, distances of branches.
//!
//! Owns the fixed point: branches start short and only grow. What an instruction's bytes are is the target's.

use std::collections::BTreeMap;

use crate::inst::{Code, Item, Placed, Reg};
use crate::ir::Label;
use crate::target::Target;

/// The bytes of each item; a label has none.
///
/// # Errors
/// A sentence, if an instruction can't be encoded.
pub fn assemble(code: &Code<Reg>, target: &dyn Target) -> Result<Vec<Vec<u8>>, String> {
    let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); code.items.len()];
    loop {
        let mut places: Vec<i64> = vec![0];
        for item in &bytes {
            places.push(places[places.len() - 1] + item.len() as i64);
        }
        let labels: BTreeMap<Label, i64> = code
            .items
            .iter()
            .zip(&places)
            .filter_map(|(item, at)| if let Item::Label(l) = item { Some((*l, *at)) } else { None })
            .collect();
        let mut grown = false;
        for (index, item) in code.items.iter().enumerate() {
            let Item::Inst(Placed { inst, .. }) = item else { continue };
            let distance = match inst.label() {
                None => 0,
                Some(label) => labels.get(&label).ok_or("a branch goes to a label that stands nowhere")? - places[index],
            };
            let length = bytes[index].len();
            bytes[index] = target.encode(inst, distance, length)?;
            grown |= bytes[index].len() != length;
        }
        if !grown {
            return Ok(bytes);
        }
    }
}
