use tracing::subscriber::with_default;
use tracing_subscriber::fmt;

use super::*;

/// A disk that is full at first.
struct Disk {
    full_for: usize,
    lines: Vec<String>,
    log: Log,
}

impl Write for Disk {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.full_for > 0 {
            self.full_for -= 1;
            return Err(io::ErrorKind::StorageFull.into());
        }

        let text = String::from_utf8_lossy(line).into_owned();
        if text.contains("lost") {
            let (last, _) = mpsc::channel();
            let _ = self.log.0.try_send(Entry::Last(last));
        }
        self.lines.push(text);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn says_how_much_is_lost_once_there_is_room() {
    let (queue, entries) = mpsc::sync_channel(QUEUE);
    let mut log = Log(queue);
    for _ in 0..QUEUE + 2 {
        log.write_all(b"a line\n").expect("it never fails");
    }

    let lines = log.clone();
    let report = fmt().with_writer(move || lines.clone()).finish();
    let mut disk = Disk {
        full_for: 3,
        lines: Vec::new(),
        log,
    };
    with_default(report, || write(&entries, &mut disk));

    assert_eq!(disk.lines.len(), QUEUE - 3 + 1);
    let last = disk.lines.last().expect("it is not empty");
    assert!(last.contains("5 line(s) of this log are lost"), "{last}");
}
