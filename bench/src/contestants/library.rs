//! Shared libraries that are there at run time or not.
//!
//! Owns their handles, which stay to the end of the process.

/// An open library.
pub struct Library(&'static libloading::Library);

impl Library {
    /// Opens the first of these that is there.
    pub fn open(names: &[&str]) -> Result<Library, String> {
        let mut last = String::new();
        for name in names {
            // SAFETY: the libraries asked for are what their names say, and do nothing odd when they are loaded.
            match unsafe { libloading::Library::new(*name) } {
                Ok(library) => return Ok(Library(Box::leak(Box::new(library)))),
                Err(error) => last = error.to_string(),
            }
        }
        Err(last)
    }

    /// The address of a symbol.
    pub fn symbol<T>(&self, name: &str) -> Result<*const T, String> {
        // SAFETY: an address is read as an address.
        let symbol = unsafe { self.0.get::<*const T>(name.as_bytes()) };
        symbol.map(|symbol| *symbol).map_err(|error| error.to_string())
    }

    /// A function.
    ///
    /// # Safety
    /// `F` is a function pointer type that fits the function of that name.
    pub unsafe fn function<F: Copy + 'static>(&self, name: &str) -> Result<F, String> {
        // SAFETY: by the contract.
        let function = unsafe { self.0.get::<F>(name.as_bytes()) };
        function.map(|function| *function).map_err(|error| error.to_string())
    }
}
