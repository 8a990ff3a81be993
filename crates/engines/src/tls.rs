//! Encrypted connections to servers that are already running.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::EngineError;

/// Makes a TLS configuration that trusts the certificates in a PEM file, and those that they have signed.
///
/// # Errors
/// Fails if the file cannot be read, or has no usable certificate.
pub fn trusting(path: &Path) -> Result<Arc<ClientConfig>, EngineError> {
    let failed = |e: &dyn fmt::Display| {
        EngineError(format!(
            "cannot use the certificates in {}: {e}",
            path.display()
        ))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| failed(&e))? {
        roots
            .add(certificate.map_err(|e| failed(&e))?)
            .map_err(|e| failed(&e))?;
    }
    if roots.is_empty() {
        return Err(failed(&"there are none"));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(
        rustls::crypto::aws_lc_rs::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .map_err(|e| failed(&e))?
    .with_root_certificates(roots)
    .with_no_client_auth();
    Ok(Arc::new(config))
}
