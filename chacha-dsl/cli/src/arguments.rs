//! The command line.
//!
//! Owns its grammar. Which targets and formats there are comes from their registries.

use std::path::PathBuf;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::Format;
use chacha_dsl_codegen::target::{Save, Use};
use chacha_dsl_verifier::contract::Contract;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

/// Every target, in place of a name.
pub const ALL: &str = "all";

/// Stack-free, register-clean, constant-time SIMD ChaCha from one description.
#[derive(Parser)]
#[command(name = "chacha-dsl", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Print the assembly of a function, or write it to a file
    Emit(Emit),
    /// Prove that machine code is the function described and keeps the contract
    Verify(Verify),
    /// List the targets: extensions, CPUs, free registers, layouts
    Targets,
}

#[derive(Args)]
pub struct Emit {
    /// Target, or `all`; the description's own if it chooses one
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(target_names()))]
    pub target: Option<String>,

    /// Format of the text
    #[arg(long, value_name = "FORMAT", default_value = "gas", value_parser = PossibleValuesParser::new(format_names()))]
    pub format: String,

    /// What the function is for; it chooses the layout where nothing else does
    #[arg(long = "use", value_name = "USE", default_value = Use::default().name(), value_parser = named(Use::ALL, Use::name))]
    pub for_use: Use,

    /// Ladder of steps, such as rows2,rows1; the description's own or the target's for the use if not given
    #[arg(long, value_name = "LADDER")]
    pub layout: Option<String>,

    /// Name of a built-in description, or a description file
    #[arg(long, value_name = "NAME|FILE", default_value = "chacha20")]
    pub description: String,

    /// Symbol in place of the description's name
    #[arg(long, value_name = "NAME")]
    pub symbol: Option<String>,

    /// CPU to schedule for, one of the target's own
    #[arg(long, value_name = "NAME")]
    pub cpu: Option<String>,

    /// Where the caller's values wait whose registers are needed: in registers that are free, or on the stack, which is not stack-free and
    /// the default of the format kernel alone
    #[arg(long, value_name = "WAY", value_parser = named(Save::ALL, Save::name))]
    pub save: Option<Save>,

    /// In a file for the kernel: a target whose function the kernel puts in the first one's place at boot, on CPUs that have its
    /// extensions; the first one's target is the one that this goes with, if none is given
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(TARGETS.iter().map(|target| target.name())))]
    pub alternative: Option<String>,

    /// File to write instead of standard output; with several targets, a folder
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct Verify {
    /// ELF object, linked ELF file, assembly (.S, .s), or the function's raw bytes
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Target whose instructions and calling convention the function may use
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(TARGETS.iter().map(|target| target.name())))]
    pub target: String,

    /// Symbol of the function; may be left out if the file has one function only
    #[arg(long, value_name = "NAME")]
    pub symbol: Option<String>,

    /// Name of a built-in description, or a description file
    #[arg(long, value_name = "NAME|FILE", default_value = "chacha20")]
    pub description: String,

    /// What the function must keep to
    #[arg(long, value_name = "NAME", default_value = Contract::Strict.name(), value_parser = named(Contract::ALL, Contract::name))]
    pub contract: Contract,

    /// Print one JSON object in place of the report
    #[arg(long)]
    pub json: bool,
}

/// The format that is no assembly: a Rust module with every target's function.
pub const RUST: &str = "rust";

/// One of these by its name.
fn named<T, const N: usize>(all: [T; N], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Default + Send + Sync + 'static,
{
    let names = PossibleValuesParser::new(all.map(name));
    names.map(move |given| all.into_iter().find(|one| name(*one) == given).unwrap_or_default())
}

fn format_names() -> Vec<&'static str> {
    Format::ALL.iter().map(|(name, _)| *name).chain([RUST]).collect()
}

fn target_names() -> Vec<&'static str> {
    TARGETS.iter().map(|target| target.name()).chain([ALL]).collect()
}
