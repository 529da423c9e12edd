//! Which client a request comes from: whom limits are counted for.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

/// A client: an address, or in IPv6 a network of 64 bits, because a subscriber gets at least that
/// much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Client(IpAddr);

impl Client {
    /// The client with this address.
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
            address => address,
        })
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An address, or all addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads `10.0.0.0/8`, or an address.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(most), |bits| bits.parse().ok())?;
        (bits <= most).then_some(Self { address, bits })
    }

    fn contains(&self, other: IpAddr) -> bool {
        let is_equal = |a: u128, b: u128, width: u32| {
            let ignored = width - self.bits;
            a.checked_shr(ignored).unwrap_or(0) == b.checked_shr(ignored).unwrap_or(0)
        };
        match (self.address, other.to_canonical()) {
            (IpAddr::V4(a), IpAddr::V4(b)) => is_equal(a.to_bits().into(), b.to_bits().into(), 32),
            (IpAddr::V6(a), IpAddr::V6(b)) => is_equal(a.to_bits(), b.to_bits(), 128),
            _ => false,
        }
    }
}

/// The address that a request comes from: that of the connection, or if it belongs to a trusted
/// proxy, the last address in `X-Forwarded-For` that doesn't. A client can write addresses of its
/// choice into this header, but proxies append the one that they see.
pub fn address(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|network| network.contains(address));
    let mut address = peer.to_canonical();
    let named = headers.get_all("x-forwarded-for").iter();
    let named = named.filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(','));
    let mut named: Vec<&str> = named.map(str::trim).collect();
    while is_proxy(address) {
        let Some(before) = named.pop().and_then(|text| text.parse::<IpAddr>().ok()) else { break };
        address = before.to_canonical();
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forwarded(lists: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for list in lists {
            headers.append("x-forwarded-for", list.parse().expect("a value"));
        }
        headers
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn networks() {
        let network = Network::parse("10.1.0.0/16").expect("a network");
        assert!(network.contains(ip("10.1.2.3")) && network.contains(ip("::ffff:10.1.2.3")));
        assert!(!network.contains(ip("10.2.0.1")) && !network.contains(ip("::1")));
        assert!(Network::parse("0.0.0.0/0").expect("all").contains(ip("8.8.8.8")));
        let one = Network::parse("fd00::1").expect("an address");
        assert!(one.contains(ip("fd00::1")) && !one.contains(ip("fd00::2")));
        for bad in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/x", "example.edu"] {
            assert_eq!(Network::parse(bad), None, "{bad}");
        }
    }

    /// A client that invents addresses is still counted as itself, with and without a proxy.
    #[test]
    fn only_trusted_proxies_name_the_client() {
        let proxies = [Network::parse("127.0.0.1").expect("an address")];
        let named = forwarded(&["1.1.1.1, 203.0.113.7"]);
        assert_eq!(address(ip("203.0.113.9"), &named, &proxies), ip("203.0.113.9"));
        assert_eq!(address(ip("127.0.0.1"), &named, &proxies), ip("203.0.113.7"));
        let chain = forwarded(&["1.1.1.1", "203.0.113.7, 127.0.0.1"]);
        assert_eq!(address(ip("127.0.0.1"), &chain, &proxies), ip("203.0.113.7"));
        assert_eq!(address(ip("127.0.0.1"), &forwarded(&["nonsense"]), &proxies), ip("127.0.0.1"));
        assert_eq!(address(ip("127.0.0.1"), &named, &[]), ip("127.0.0.1"));
    }

    #[test]
    fn a_subscriber_of_ipv6_is_one_client() {
        assert_eq!(Client::new(ip("2001:db8::1")), Client::new(ip("2001:db8::ffff:2")));
        assert_ne!(Client::new(ip("2001:db8::1")), Client::new(ip("2001:db8:0:1::1")));
        assert_eq!(Client::new(ip("::ffff:10.0.0.1")), Client::new(ip("10.0.0.1")));
        assert_ne!(Client::new(ip("10.0.0.1")), Client::new(ip("10.0.0.2")));
    }
}
