package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/pkg/sftp"

	"concilia/export/words"
)

// Replace puts a file over another; see Target.
func (f *Folder) Replace(ctx context.Context, name, local string) error {
	return wrapTargetError("replace", name, f.replaceFile(ctx, name, local))
}

func (f *Folder) replaceFile(ctx context.Context, name, local string) error {
	if err := checkName(name); err != nil {
		return err
	}
	file, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer file.Close()
	root, err := f.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	if err := makeDirs(root, path.Dir(name), f.dirMode()); err != nil {
		return err
	}
	part := path.Join(path.Dir(name), partPrefix+rand.Text())
	defer func() { _ = root.Remove(part) }() // after the rename it is gone
	if _, err := f.writePart(ctx, root, part, localFile{file}); err != nil {
		return err
	}
	if err := f.beforeStep("name"); err != nil {
		return err
	}
	if err := root.Rename(part, name); err != nil {
		return err
	}
	return syncDir(root, path.Dir(name))
}

// Fetch copies a published file; see Target.
func (f *Folder) Fetch(ctx context.Context, name string, to io.Writer) error {
	err := f.withFile(name, func(root *os.Root) error {
		file, err := openRegular(name, root.Lstat, root.OpenFile)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = hashCopy(ctx, outWriter{to}, file)
		return err
	})
	return wrapReadError(name, err)
}

// Stat describes a published file; see Target.
func (f *Folder) Stat(ctx context.Context, name string) (out Entry, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	err = f.withFile(name, func(root *os.Root) error {
		info, err := root.Lstat(name)
		if err == nil && !info.Mode().IsRegular() {
			err = words.NewFault("target_fault.taken_no_file", "", "taken", ErrTaken)
		}
		if err == nil {
			out = Entry{Name: name, Size: info.Size(), Modified: info.ModTime()}
		}
		return err
	})
	return out, wrapReadError(name, err)
}

// withFile calls fn with the folder, for a name that a file of it can have.
func (f *Folder) withFile(name string, fn func(*os.Root) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fn(root)
}

// List lists published files; see Target.
func (f *Folder) List(ctx context.Context, dir string, fn func(Entry) error) error {
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrapTargetError("list", dir, err)
	}
	defer root.Close()
	var ours error
	err = fs.WalkDir(root.FS(), path.Join(".", dir), func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist): // it went meanwhile, or never was
			return nil
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(path.Base(name), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			ours = fn(Entry{Name: name, Size: info.Size(), Modified: info.ModTime()})
			err = ours
		}
		return err
	})
	if ours != nil {
		return ours
	}
	return wrapTargetError("list", dir, err)
}

// Replace puts a file over another; see Target.
func (b *Bucket) Replace(ctx context.Context, name, local string) error {
	err := checkName(name)
	if err == nil {
		err = b.replaceObject(ctx, path.Join(b.prefix, name), local)
	}
	return b.wrapBucketError("replace", name, err)
}

func (b *Bucket) replaceObject(ctx context.Context, key, local string) error {
	file, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	_, err = b.client.PutObject(ctx, b.bucket, key, localFile{file}, info.Size(), minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	return err
}

// Fetch copies an object; see Target.
func (b *Bucket) Fetch(ctx context.Context, name string, to io.Writer) error {
	err := checkName(name)
	if err == nil {
		err = b.fetchObject(ctx, path.Join(b.prefix, name), to)
	}
	if isNoSuchKey(err) {
		return fmt.Errorf("read %s: %w: %w", name, fs.ErrNotExist, err)
	}
	if errors.Is(err, errOut) {
		return wrapReadError(name, err)
	}
	return b.wrapBucketError("read", name, err)
}

func (b *Bucket) fetchObject(ctx context.Context, key string, to io.Writer) error {
	object, err := b.client.GetObject(ctx, b.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = object.Close() }()
	_, err = hashCopy(ctx, outWriter{to}, object)
	return err
}

// Stat describes an object; see Target.
func (b *Bucket) Stat(ctx context.Context, name string) (Entry, error) {
	if err := checkName(name); err != nil {
		return Entry{}, b.wrapBucketError("read", name, err)
	}
	info, err := b.client.StatObject(ctx, b.bucket, path.Join(b.prefix, name), minio.StatObjectOptions{})
	if isNoSuchKey(err) {
		return Entry{}, fmt.Errorf("read %s: %w: %w", name, fs.ErrNotExist, err)
	}
	return Entry{Name: name, Size: info.Size, Modified: info.LastModified}, b.wrapBucketError("read", name, err)
}

// List lists objects; see Target.
func (b *Bucket) List(ctx context.Context, dir string, fn func(Entry) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing when fn fails
	below := path.Join(b.prefix, dir)
	if below != "" {
		below += "/"
	}
	for o := range b.client.ListObjects(ctx, b.bucket, minio.ListObjectsOptions{Prefix: below, Recursive: true}) {
		if o.Err != nil {
			return b.wrapBucketError("list", dir, o.Err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(o.Key, b.prefix), "/")
		if checkName(name) != nil {
			continue // hidden, or a folder that a tool made
		}
		if err := fn(Entry{Name: name, Size: o.Size, Modified: o.LastModified}); err != nil {
			return err
		}
	}
	return b.wrapBucketError("list", dir, ctx.Err())
}

// Replace puts a file over another; see Target. A server without the rename of OpenSSH replaces in two steps.
func (s *SFTPServer) Replace(ctx context.Context, name, local string) error {
	if err := checkName(name); err != nil {
		return wrapTargetError("replace", name, err)
	}
	return wrapTargetError("replace", name, s.withClient(ctx, func(c *sftp.Client) error { return s.replaceFile(ctx, c, path.Join(s.dir, name), local) }))
}

func (s *SFTPServer) replaceFile(ctx context.Context, c *sftp.Client, at, local string) error {
	file, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer file.Close()
	if err := s.makeDirs(c, path.Dir(at)); err != nil {
		return err
	}
	part := path.Join(path.Dir(at), partPrefix+rand.Text())
	defer func() {
		if err := c.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.leftoverParts = append(s.leftoverParts, part)
		}
	}()
	if _, err := s.writePart(ctx, c, part, localFile{file}); err != nil {
		return err
	}
	if _, ok := c.HasExtension("posix-rename@openssh.com"); ok {
		return c.PosixRename(part, at)
	}
	if err := c.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.Rename(part, at)
}

// Fetch copies a published file; see Target.
func (s *SFTPServer) Fetch(ctx context.Context, name string, to io.Writer) error {
	err := checkName(name)
	if err == nil {
		err = s.withClient(ctx, func(c *sftp.Client) error {
			file, err := c.Open(path.Join(s.dir, name))
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			_, err = hashCopy(ctx, outWriter{to}, file)
			return err
		})
	}
	return wrapReadError(name, err)
}

// Stat describes a published file; see Target.
func (s *SFTPServer) Stat(ctx context.Context, name string) (out Entry, err error) {
	if err = checkName(name); err == nil {
		err = s.withClient(ctx, func(c *sftp.Client) error {
			info, err := c.Lstat(path.Join(s.dir, name))
			if err == nil && !info.Mode().IsRegular() {
				err = words.NewFault("target_fault.taken_no_file", "", "taken", ErrTaken)
			}
			if err == nil {
				out = Entry{Name: name, Size: info.Size(), Modified: info.ModTime()}
			}
			return err
		})
	}
	return out, wrapReadError(name, err)
}

// List lists published files; see Target.
func (s *SFTPServer) List(ctx context.Context, dir string, fn func(Entry) error) error {
	var found []Entry // fn may want the connection
	err := s.withClient(ctx, func(c *sftp.Client) error {
		found = nil
		for walk := c.Walk(path.Join(s.dir, dir)); walk.Step(); {
			switch err := walk.Err(); {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				return err
			}
			name := walk.Path()
			if s.dir != "." || name == "." {
				name = strings.TrimPrefix(strings.TrimPrefix(name, s.dir), "/")
			}
			switch {
			case name != "" && checkName(name) != nil:
				if walk.Stat().IsDir() {
					walk.SkipDir()
				}
			case walk.Stat().Mode().IsRegular():
				found = append(found, Entry{Name: name, Size: walk.Stat().Size(), Modified: walk.Stat().ModTime()})
			}
		}
		return nil
	})
	if err != nil {
		return wrapTargetError("list", dir, err)
	}
	for _, e := range found {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// errOut marks an error of the writer that a file is fetched to, which is not the target's.
var errOut error = words.NewFault("target_fault.write", "")

// outWriter is the writer that a file is fetched to.
type outWriter struct{ io.Writer }

func (w outWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil {
		err = fmt.Errorf("%w: %w", errOut, err)
	}
	return n, err
}

// wrapReadError names an error of reading a file; one that is not there, and one of the writer, stay what they are.
func wrapReadError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOut) {
		return words.NewFault("target_fault.read", "", "name", name, "cause", err)
	}
	return wrapTargetError("read", name, err)
}
